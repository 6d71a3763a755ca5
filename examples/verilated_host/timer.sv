// Raises irq for one cycle every `period` cycles.
module timer (
    input logic clk,
    input logic rst,
    input logic [15:0] period,
    output logic irq,
    output logic [15:0] count
);
  always_ff @(posedge clk) begin
    if (rst || count == period - 1) count <= 0;
    else count <= count + 1;
    irq <= !rst && count == period - 1;
  end
endmodule
