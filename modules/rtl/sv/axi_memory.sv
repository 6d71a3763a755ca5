// An AXI4 memory: one read and one write at a time, in order, incrementing bursts of whole beats. It keeps WORDS beats;
// addresses beyond begin again at 0.
//
// A read burst puts out its first beat read_latency + 1 cycles after its address was taken, then a beat per cycle. A write
// burst is answered write_latency + 1 cycles after its last beat was taken.
module axi_memory #(
    parameter int BYTES = 64,  // of a beat
    parameter int WORDS = 1024
) (
    input  logic               aclk,
    input  logic               aresetn,
    input  logic [15:0]        read_latency,   // constant
    input  logic [15:0]        write_latency,  // constant

    input  logic               arvalid,
    output logic               arready,
    input  logic [3:0]         arid,
    input  logic [63:0]        araddr,
    input  logic [7:0]         arlen,
    output logic               rvalid,
    input  logic               rready,
    output logic [3:0]         rid,
    output logic [BYTES*8-1:0] rdata,
    output logic [1:0]         rresp,
    output logic               rlast,

    input  logic               awvalid,
    output logic               awready,
    input  logic [3:0]         awid,
    input  logic [63:0]        awaddr,
    input  logic [7:0]         awlen,
    input  logic               wvalid,
    output logic               wready,
    input  logic [BYTES*8-1:0] wdata,
    input  logic               wlast,
    output logic               bvalid,
    input  logic               bready,
    output logic [3:0]         bid,
    output logic [1:0]         bresp,
    output logic               busy
);
  localparam int LOW = $clog2(BYTES);
  localparam int W = $clog2(WORDS);

  logic [BYTES*8-1:0] words [WORDS];

  logic         reading;
  logic [15:0]  read_wait;
  logic [7:0]   read_left;
  logic [W-1:0] read_at;
  assign arready = !reading;
  assign rvalid = reading && read_wait == 0;
  assign rdata = words[read_at];
  assign rresp = 0;
  assign rlast = rvalid && read_left == 0;

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      reading <= 0;
    end else if (!reading) begin
      reading <= arvalid;
      rid <= arid;
      read_wait <= read_latency;
      read_left <= arlen;
      read_at <= araddr[LOW +: W];
    end else if (read_wait != 0) begin
      read_wait <= read_wait - 1;
    end else if (rready) begin
      read_left <= read_left - 1;
      read_at <= read_at + 1;
      reading <= read_left != 0;
    end
  end

  logic         writing, answering;
  logic [15:0]  write_wait;
  logic [7:0]   write_left;
  logic [W-1:0] write_at;
  assign awready = !writing && !answering;
  assign wready = writing;
  assign bvalid = answering && write_wait == 0;
  assign bresp = 0;
  assign busy = reading || writing || answering;

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      writing <= 0;
      answering <= 0;
    end else if (awready) begin
      writing <= awvalid;
      bid <= awid;
      write_left <= awlen;
      write_wait <= write_latency;
      write_at <= awaddr[LOW +: W];
    end else if (writing) begin
      if (wvalid) begin
        words[write_at] <= wdata;
        write_at <= write_at + 1;
        write_left <= write_left - 1;
        writing <= !(wlast || write_left == 0);
        answering <= wlast || write_left == 0;
      end
    end else if (write_wait != 0) begin
      write_wait <= write_wait - 1;
    end else if (bready) begin
      answering <= 0;
    end
  end
endmodule
