// A wormhole router of PORTS ports. A flit is {last, first, out_port[5:0], tag[55:0]} and carries its way, so that flits of
// several messages may follow each other on one port, as they do on the wires of kernbench.
//
// Each input has a queue of fifo_depth flits; each output takes the heads of the queues that want it in turn, flit by flit,
// into a register. A transfer happens at the edge at which valid and ready are 1. A flit sampled at an edge stands at its
// output, which is free, behind the next edge.
module router #(
    parameter int PORTS = 5,
    parameter int MAX_DEPTH = 16
) (
    input  logic                clk,
    input  logic                rst,
    input  logic [4:0]          fifo_depth,  // 1 .. MAX_DEPTH, constant
    output logic                busy,        // something is inside
    input  logic [PORTS-1:0]    in_valid,
    output logic [PORTS-1:0]    in_ready,
    input  logic [PORTS*64-1:0] in_flit,
    output logic [PORTS-1:0]    out_valid,
    input  logic [PORTS-1:0]    out_ready,
    output logic [PORTS*64-1:0] out_flit
);
  localparam int W = $clog2(MAX_DEPTH);

  logic [63:0]      fifo  [PORTS][MAX_DEPTH];
  logic [W-1:0]     head  [PORTS];
  logic [W-1:0]     tail  [PORTS];
  logic [4:0]       count [PORTS];
  logic [63:0]      out_reg [PORTS];
  logic [PORTS-1:0] later [PORTS];    // by output: the inputs behind the one that was served last

  logic [5:0]       first [PORTS];    // by input: where its first flit goes
  logic [PORTS-1:0] wants [PORTS];    // by output: inputs whose first flit goes there
  logic [PORTS-1:0] grant [PORTS];    // one of them
  logic [PORTS-1:0] pop, push, full;

  always_comb begin
    busy = |out_valid;
    for (int p = 0; p < PORTS; p++) begin
      full[p] = count[p] >= fifo_depth;
      if (count[p] != 0) busy = 1;
    end
    in_ready = ~full;
    push = in_valid & in_ready;
  end

  always_comb begin
    for (int o = 0; o < PORTS; o++) wants[o] = 0;
    for (int p = 0; p < PORTS; p++) begin
      if (count[p] != 0 && first[p] < 6'(PORTS)) wants[first[p][$clog2(PORTS)-1:0]][p] = 1;
    end
  end

  always_comb begin
    pop = 0;
    for (int o = 0; o < PORTS; o++) begin
      grant[o] = 0;
      if (wants[o] != 0 && (!out_valid[o] || out_ready[o])) begin
        if ((wants[o] & later[o]) != 0) grant[o] = (wants[o] & later[o]) & (~(wants[o] & later[o]) + 1);
        else grant[o] = wants[o] & (~wants[o] + 1);
      end
      pop |= grant[o];
    end
  end

  for (genvar p = 0; p < PORTS; p++) begin : g_input
    assign first[p] = fifo[p][head[p]][61:56];
    always_ff @(posedge clk) begin
      if (rst) begin
        head[p] <= 0;
        tail[p] <= 0;
        count[p] <= 0;
      end else begin
        if (push[p]) begin
          fifo[p][tail[p]] <= in_flit[64*p +: 64];
          tail[p] <= tail[p] + 1;
        end
        if (pop[p]) head[p] <= head[p] + 1;
        count[p] <= count[p] + 5'(push[p]) - 5'(pop[p]);
      end
    end
  end

  for (genvar o = 0; o < PORTS; o++) begin : g_output
    assign out_flit[64*o +: 64] = out_reg[o];
    always_ff @(posedge clk) begin
      if (rst) begin
        out_valid[o] <= 0;
        later[o] <= 0;
      end else if (grant[o] != 0) begin
        out_valid[o] <= 1;
        for (int p = 0; p < PORTS; p++) begin
          if (grant[o][p]) out_reg[o] <= fifo[p][head[p]];
        end
        later[o] <= ~(grant[o] | (grant[o] - 1));
      end else if (out_ready[o]) begin
        out_valid[o] <= 0;
      end
    end
  end
endmodule
