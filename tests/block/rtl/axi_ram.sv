// An AXI4 RAM with the ports that IP usually has, and no busy. It takes up to four addresses of each direction, is ready
// at random, and serves reads of different ids out of order.
module axi_ram #(
    parameter int DATA_WIDTH = 64,
    parameter int ADDR_WIDTH = 16,
    parameter int STRB_WIDTH = DATA_WIDTH / 8,
    parameter int ID_WIDTH = 8,
    parameter int FAULT = 0  // 1: reads address 0, 2: drops the strobe of the last lane, 3: swaps ids of reads
) (
    input  logic                  clk,
    input  logic                  rst,
    input  logic [ID_WIDTH-1:0]   s_axi_awid,
    input  logic [ADDR_WIDTH-1:0] s_axi_awaddr,
    input  logic [7:0]            s_axi_awlen,
    input  logic [2:0]            s_axi_awsize,
    input  logic [1:0]            s_axi_awburst,
    input  logic                  s_axi_awlock,
    input  logic [3:0]            s_axi_awcache,
    input  logic [2:0]            s_axi_awprot,
    input  logic                  s_axi_awvalid,
    output logic                  s_axi_awready,
    input  logic [DATA_WIDTH-1:0] s_axi_wdata,
    input  logic [STRB_WIDTH-1:0] s_axi_wstrb,
    input  logic                  s_axi_wlast,
    input  logic                  s_axi_wvalid,
    output logic                  s_axi_wready,
    output logic [ID_WIDTH-1:0]   s_axi_bid,
    output logic [1:0]            s_axi_bresp,
    output logic                  s_axi_bvalid,
    input  logic                  s_axi_bready,
    input  logic [ID_WIDTH-1:0]   s_axi_arid,
    input  logic [ADDR_WIDTH-1:0] s_axi_araddr,
    input  logic [7:0]            s_axi_arlen,
    input  logic [2:0]            s_axi_arsize,
    input  logic [1:0]            s_axi_arburst,
    input  logic                  s_axi_arlock,
    input  logic [3:0]            s_axi_arcache,
    input  logic [2:0]            s_axi_arprot,
    input  logic                  s_axi_arvalid,
    output logic                  s_axi_arready,
    output logic [ID_WIDTH-1:0]   s_axi_rid,
    output logic [DATA_WIDTH-1:0] s_axi_rdata,
    output logic [1:0]            s_axi_rresp,
    output logic                  s_axi_rlast,
    output logic                  s_axi_rvalid,
    input  logic                  s_axi_rready
);
  localparam int LOW = $clog2(STRB_WIDTH);
  localparam int WORDS = 1 << (ADDR_WIDTH - LOW);
  localparam int DEPTH = 4;

  logic [DATA_WIDTH-1:0] words [WORDS];

  logic [15:0] random;
  always_ff @(posedge clk) begin
    if (rst) random <= 16'hace1;
    else random <= {random[14:0], random[15] ^ random[13] ^ random[12] ^ random[10]};
  end

  typedef struct packed {
    logic [ID_WIDTH-1:0]   id;
    logic [ADDR_WIDTH-1:0] addr;
    logic [7:0]            left;
    logic [2:0]            size;
  } burst_t;

  function automatic logic [ADDR_WIDTH-1:0] next_of(burst_t burst);
    return ((burst.addr >> burst.size) + 1) << burst.size;
  endfunction

  // Reads: a queue, the burst that is served, a register at the output.
  burst_t     reads [DEPTH];
  logic [2:0] read_count;
  burst_t     read;
  logic       reading;
  wire        swap = read_count > 1 && reads[0].id != reads[1].id;
  wire [1:0]  pick = swap && FAULT != 3 && random[5] ? 1 : 0;
  wire        start = !reading && read_count != 0;
  assign s_axi_arready = !read_count[2] && random[0];
  assign s_axi_rresp = 0;

  always_ff @(posedge clk) begin
    if (rst) begin
      read_count <= 0;
      reading <= 0;
      s_axi_rvalid <= 0;
    end else begin
      automatic logic [2:0] count = read_count;
      if (s_axi_rready) s_axi_rvalid <= 0;
      if (start) begin
        read <= reads[pick];
        reading <= 1;
        for (int i = 0; i < DEPTH - 1; ++i) if (i >= int'(pick)) reads[i] <= reads[i + 1];
        if (FAULT == 3 && swap) begin
          read.id <= reads[1].id;
          reads[0].id <= reads[0].id;
        end
        count = count - 1;
      end else if (reading && (!s_axi_rvalid || s_axi_rready) && random[3]) begin
        s_axi_rvalid <= 1;
        s_axi_rid <= read.id;
        s_axi_rdata <= words[FAULT == 1 ? 0 : read.addr[ADDR_WIDTH-1:LOW]];
        s_axi_rlast <= read.left == 0;
        read.addr <= next_of(read);
        read.left <= read.left - 1;
        reading <= read.left != 0;
      end
      if (s_axi_arvalid && s_axi_arready) begin
        reads[count[1:0]] <= {s_axi_arid, s_axi_araddr, s_axi_arlen, s_axi_arsize};
        count = count + 1;
      end
      read_count <= count;
    end
  end

  // Writes: a queue of addresses, whose data come in order, and an answer.
  burst_t     writes [DEPTH];
  logic [2:0] write_count;
  assign s_axi_awready = !write_count[2] && random[7];
  assign s_axi_wready = write_count != 0 && random[9] && (!s_axi_bvalid || s_axi_bready);
  assign s_axi_bresp = 0;

  always_ff @(posedge clk) begin
    if (rst) begin
      write_count <= 0;
      s_axi_bvalid <= 0;
    end else begin
      automatic logic [2:0] count = write_count;
      if (s_axi_bready) s_axi_bvalid <= 0;
      if (s_axi_wvalid && s_axi_wready) begin
        for (int i = 0; i < STRB_WIDTH; ++i) begin
          if (s_axi_wstrb[i] && !(FAULT == 2 && i == STRB_WIDTH - 1)) begin
            words[writes[0].addr[ADDR_WIDTH-1:LOW]][i*8+:8] <= s_axi_wdata[i*8+:8];
          end
        end
        writes[0].addr <= next_of(writes[0]);
        if (s_axi_wlast) begin
          for (int i = 0; i < DEPTH - 1; ++i) writes[i] <= writes[i + 1];
          count = count - 1;
          s_axi_bvalid <= 1;
          s_axi_bid <= writes[0].id;
        end
      end
      if (s_axi_awvalid && s_axi_awready) begin
        writes[count[1:0]] <= {s_axi_awid, s_axi_awaddr, s_axi_awlen, s_axi_awsize};
        count = count + 1;
      end
      write_count <= count;
    end
  end
endmodule
