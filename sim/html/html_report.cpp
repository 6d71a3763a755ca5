#include "sim/html/html_report.h"

#include "sim/html/case.h"
#include "sim/html/markup.h"

namespace kb::html {
namespace {

constexpr const char* kStyle = R"(:root{color-scheme:light;font:14px/1.5 system-ui,"Segoe UI","DejaVu Sans",sans-serif}
*{box-sizing:border-box}
body{margin:0 auto;padding:24px 28px 48px;max-width:1136px;background:#f7f7f5;color:#1e2329;font-variant-numeric:tabular-nums}
h1{font-size:1.5em;margin:0;overflow-wrap:anywhere}h2{font-size:1.1em;margin:0 0 .2em}h3{font-size:1em;margin:1.1em 0 .3em}
p{margin:.2em 0 .6em;overflow-wrap:anywhere}.hint,.dim{color:#5c6470}.hint{font-size:.93em}
section{background:#fff;border:1px solid #e0e1df;border-radius:8px;padding:1em 1.2em;margin:1em 0}
.tiles{display:flex;flex-wrap:wrap;gap:.6em 2.4em;margin:.8em 0 .2em}.tiles b{display:block;font-size:1.35em;font-weight:600}
.good{color:#1f6b3f}.bad{color:#a5281c}.warn{color:#7d5700}
ol{padding-left:1.5em;margin:.4em 0}li{margin:0 0 .7em}li p{margin:.1em 0}
table{border-collapse:collapse;width:100%}td,th{padding:.22em .7em;text-align:left;vertical-align:top;font-weight:400}
td:first-child,th:first-child{padding-left:0;overflow-wrap:anywhere}thead th{font-weight:550;border-bottom:1px solid #b9bdbb}
tbody tr+tr>*{border-top:1px solid #ececea}.n{text-align:right;white-space:nowrap}
.meter{display:inline-block;width:5em;height:.6em;background:#e8ebee;border-radius:2px;margin-right:.3em}
.meter i{display:block;height:100%;background:#d9822b;border-radius:2px}
.legend{display:flex;flex-wrap:wrap;gap:.1em 1.1em;color:#444c57;font-size:.93em}
.legend i{display:inline-block;width:.8em;height:.8em;border-radius:2px;margin-right:.2em;vertical-align:-.06em}
svg{display:block;width:100%;height:auto;margin:.4em 0}svg text{font-size:11px;fill:#444c57;font-family:inherit}
svg .a{text-anchor:middle}svg .e{text-anchor:end}svg .g{stroke:#e2e4e3}svg .f{fill:none;stroke:#b9bdbb}
footer{color:#5c6470;font-size:.93em}
@media print{body{background:#fff;padding:0;max-width:none;font-size:11px}section{border:0;padding:.4em 0;margin:.4em 0}
svg,tr,li{break-inside:avoid}h2,h3{break-after:avoid}*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
)";

std::string title_of(const Case& of) {
  const std::string workload = text_of(member(of.summary, "bench"), "name");
  const std::string name = workload.empty() ? "a run" : workload;
  return of.longest == nullptr ? name : name + ", " + duration_text(of.longest->total_ns);
}

}  // namespace

std::string render_report(const analysis::RunFolder& run, const sim::Comparison* against) {
  const Case of(run);
  std::string page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  page +=
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n";
  page += "<title>" + escaped(title_of(of)) + "</title>\n<style>\n" + kStyle + "</style>\n</head>\n<body>\n";
  page += head_part(of);
  if (against != nullptr) page += comparison_part(*against);
  page += findings_part(of) + launches_part(of) + operations_part(of) + pes_part(of) + profile_part(of) +
          machine_part(of) + resources_part(of) + roofline_part(of) + verification_part(of) + settings_part(of);
  page += "<footer>Times are simulated. Written by kernbench " + escaped(text_of(of.summary, "version")) +
          "; <code>kernbench web</code> shows the run in more detail.</footer>\n</body>\n</html>\n";
  return page;
}

}  // namespace kb::html
