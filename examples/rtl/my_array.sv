// A MAC array of your own, with the ports of every MAC array (modules/rtl/sv/mac_array.sv describes them): each row of
// multiply-accumulators gets the same operand in the same cycle, so nothing is skewed and a block is fed for k cycles.
module my_array #(
    parameter int N = 8
) (
    input  logic            clk,
    input  logic            rst,
    input  logic            start,
    input  logic [15:0]     m_blocks,
    input  logic [15:0]     n_blocks,
    input  logic [15:0]     k,
    output logic            busy,
    output logic            in_ready,
    output logic            skewed,
    output logic [15:0]     block_m,
    output logic [15:0]     block_n,
    output logic [16:0]     step,
    input  logic [N*8-1:0]  a,
    input  logic [N*8-1:0]  b,
    output logic            out_valid,
    output logic [7:0]      out_row,
    output logic [N*32-1:0] sums
);
  logic draining;
  logic [15:0] last_m, last_n, last_step;
  logic signed [31:0] acc [N][N];

  assign in_ready = busy && !draining;
  assign out_valid = busy && draining;
  assign skewed = 0;
  for (genvar j = 0; j < N; j++) begin : g_sums
    assign sums[32*j +: 32] = acc[out_row[$clog2(N)-1:0]][j];
  end

  always_ff @(posedge clk) begin
    if (rst) begin
      busy <= 0;
    end else if (!busy) begin
      busy <= start;
      draining <= 0;
      {block_m, block_n, step, out_row} <= 0;
      last_m <= m_blocks - 1;
      last_n <= n_blocks - 1;
      last_step <= k - 1;
    end else if (!draining) begin
      step <= step + 1;
      draining <= step[15:0] == last_step;
    end else begin
      out_row <= out_row + 1;
      if (out_row == 8'(N - 1)) begin
        draining <= 0;
        {step, out_row} <= 0;
        busy <= block_m != last_m || block_n != last_n;
        block_n <= block_n == last_n ? 0 : block_n + 1;
        if (block_n == last_n) block_m <= block_m + 1;
      end
    end
  end

  always_ff @(posedge clk) begin
    for (int i = 0; i < N; i++) begin
      for (int j = 0; j < N; j++) begin
        if (in_ready) acc[i][j] <= acc[i][j] + 32'($signed(a[8*i +: 8])) * 32'($signed(b[8*j +: 8]));
        else if (!busy || out_row == 8'(N - 1)) acc[i][j] <= 0;
      end
    end
  end
endmodule
