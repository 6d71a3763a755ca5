// A bench in RTL: reads a register of the device through AXI4-Lite, writes a burst of four beats into its memory through
// AXI4, reads it back, and says whether everything was right.
module bench (
    input  logic        aclk,
    input  logic        aresetn,
    output logic        done,
    output logic        right,

    output logic        lite_arvalid,
    input  logic        lite_arready,
    output logic [31:0] lite_araddr,
    input  logic        lite_rvalid,
    output logic        lite_rready,
    input  logic [31:0] lite_rdata,
    input  logic [31:0] lite_rresp,

    output logic        awvalid,
    input  logic        awready,
    output logic [63:0] awaddr,
    output logic [31:0] awlen,
    output logic        wvalid,
    input  logic        wready,
    output logic [63:0] wdata,
    output logic [31:0] wstrb,
    output logic        wlast,
    input  logic        bvalid,
    output logic        bready,
    input  logic [31:0] bresp,
    output logic        arvalid,
    input  logic        arready,
    output logic [63:0] araddr,
    output logic [31:0] arlen,
    input  logic        rvalid,
    output logic        rready,
    input  logic [63:0] rdata,
    input  logic [31:0] rresp,
    input  logic        rlast
);
  localparam logic [63:0] ADDRESS = 64'h2000000000;  // HBM of PE 0
  localparam logic [31:0] ID_VALUE = 32'h3055504b;   // KB_ID_VALUE of device_queue.h
  localparam logic [31:0] LAST = 3;

  typedef enum logic [2:0] {ASK_ID, TAKE_ID, ADDRESS_OUT, DATA_OUT, ANSWER, ASK, TAKE, DONE} state_t;
  state_t state;
  logic [31:0] beat;

  function automatic logic [63:0] word(logic [31:0] index);
    return {~index, index + 32'h1234};
  endfunction

  assign lite_arvalid = state == ASK_ID;
  assign lite_araddr = 0;
  assign lite_rready = state == TAKE_ID;
  assign awvalid = state == ADDRESS_OUT;
  assign awaddr = ADDRESS;
  assign awlen = LAST;
  assign wvalid = state == DATA_OUT;
  assign wdata = word(beat);
  assign wstrb = 32'hff;
  assign wlast = beat == LAST;
  assign bready = state == ANSWER;
  assign arvalid = state == ASK;
  assign araddr = ADDRESS;
  assign arlen = LAST;
  assign rready = state == TAKE;
  assign done = state == DONE;

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      state <= ASK_ID;
      beat <= 0;
      right <= 1;
    end else begin
      case (state)
        ASK_ID: if (lite_arready) state <= TAKE_ID;
        TAKE_ID: if (lite_rvalid) begin
          right <= right && lite_rresp == 0 && lite_rdata == ID_VALUE;
          state <= ADDRESS_OUT;
        end
        ADDRESS_OUT: if (awready) state <= DATA_OUT;
        DATA_OUT: if (wready) begin
          beat <= wlast ? 0 : beat + 1;
          if (wlast) state <= ANSWER;
        end
        ANSWER: if (bvalid) begin
          right <= right && bresp == 0;
          state <= ASK;
        end
        ASK: if (arready) state <= TAKE;
        TAKE: if (rvalid) begin
          right <= right && rresp == 0 && rdata == word(beat) && rlast == (beat == LAST);
          beat <= beat + 1;
          if (rlast) state <= DONE;
        end
        default: ;
      endcase
    end
  end
endmodule
