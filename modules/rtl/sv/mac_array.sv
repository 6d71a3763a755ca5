// N x N multiply-accumulators that keep their sums (output-stationary), signed 8-bit operands, 32-bit sums.
//
// The ports of every MAC array: `start` takes a product of m_blocks x n_blocks blocks of N x N sums over k. While in_ready
// is 1, row i takes a(i, t) and column j takes b(t, j) of block (block_m, block_n), where t is `step`, or step - i and
// step - j if `skewed` is 1; operands beyond 0 .. k-1 are 0. While out_valid is 1, row out_row of the block's sums leaves.
// `busy` is 1 from the edge that takes `start` to the one behind which all sums have left.
//
// Here operands pass from neighbour to neighbour, one per cycle, so that a block is fed for k + 2 (N - 1) cycles. Then its
// N rows of sums leave, one per cycle.
module mac_array #(
    parameter int N = 8
) (
    input  logic              clk,
    input  logic              rst,
    input  logic              start,
    input  logic [15:0]       m_blocks,
    input  logic [15:0]       n_blocks,
    input  logic [15:0]       k,
    output logic              busy,
    output logic              in_ready,   // a and b are taken at the next edge
    output logic              skewed,     // constant
    output logic [15:0]       block_m,
    output logic [15:0]       block_n,
    output logic [16:0]       step,
    input  logic [N*8-1:0]    a,
    input  logic [N*8-1:0]    b,
    output logic              out_valid,
    output logic [7:0]        out_row,
    output logic [N*32-1:0]   sums
);
  typedef enum logic [1:0] {IDLE, FEED, DRAIN} state_t;
  state_t state;
  logic [15:0] last_m, last_n;
  logic [16:0] last_step;
  logic signed [7:0]  a_pipe [N][N];
  logic signed [7:0]  b_pipe [N][N];
  logic signed [31:0] acc [N][N];

  assign busy = state != IDLE;
  assign in_ready = state == FEED;
  assign skewed = 1;
  assign out_valid = state == DRAIN;
  for (genvar j = 0; j < N; j++) begin : g_sums
    assign sums[32*j +: 32] = acc[out_row[$clog2(N)-1:0]][j];
  end

  logic last_block;
  assign last_block = block_m == last_m && block_n == last_n;

  always_ff @(posedge clk) begin
    if (rst) begin
      state <= IDLE;
    end else begin
      case (state)
        IDLE: if (start) begin
          state <= FEED;
          block_m <= 0;
          block_n <= 0;
          step <= 0;
          last_m <= m_blocks - 1;
          last_n <= n_blocks - 1;
          last_step <= {1'b0, k} + 17'(2 * (N - 1)) - 1;
        end
        FEED: begin
          step <= step + 1;
          out_row <= 0;
          if (step == last_step) state <= DRAIN;
        end
        DRAIN: begin
          out_row <= out_row + 1;
          step <= 0;
          if (out_row == 8'(N - 1)) begin
            state <= last_block ? IDLE : FEED;
            block_n <= block_n == last_n ? 0 : block_n + 1;
            if (block_n == last_n) block_m <= block_m + 1;
          end
        end
        default: state <= IDLE;
      endcase
    end
  end

  for (genvar i = 0; i < N; i++) begin : g_row
    for (genvar j = 0; j < N; j++) begin : g_column
      logic signed [7:0] a_in, b_in;
      assign a_in = j == 0 ? a[8*i +: 8] : a_pipe[i][(j + N - 1) % N];
      assign b_in = i == 0 ? b[8*j +: 8] : b_pipe[(i + N - 1) % N][j];
      always_ff @(posedge clk) begin
        if (state == FEED) begin
          a_pipe[i][j] <= a_in;
          b_pipe[i][j] <= b_in;
          acc[i][j] <= acc[i][j] + 32'(a_in) * 32'(b_in);
        end else if (state == IDLE || out_row == 8'(N - 1)) begin
          a_pipe[i][j] <= 0;
          b_pipe[i][j] <= 0;
          acc[i][j] <= 0;
        end
      end
    end
  end
endmodule
