// N x N multiply-accumulators that keep their sums (output-stationary), signed 8-bit operands, 32-bit sums.
//
// `start` takes a product of m_blocks x n_blocks blocks of N x N sums over k. Each block is fed for k + 2 (N - 1) cycles:
// in the cycle of `step` t, row i takes a(i, t - i) and column j takes b(t - j, j), 0 outside of 0 .. k-1. Operands pass
// from neighbour to neighbour, one per cycle. Then the N rows of sums leave, one per cycle.
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
    output logic              in_ready,   // a and b of `step` are taken at the next edge
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
