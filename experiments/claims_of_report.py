"""The claims of the report."""

from claim_model import Claim, about, at_least, at_most
from claim_terms import (HOSTS, NEWER, build_cpu, build_gpu, draw, draw_cpu, joules, milestones,
                         quotient, table, text)

REPEATED = (("report Abstract", ""), ("report 7", ""))  # rows of the notes on its two speedups
REPORT = (
    Claim("report 6.1", "baseline (3_cub_partition) to chunks (7_chunked)",
          text("report", "speedup_baseline_to_last_version"),
          milestones("3_cub_partition", "7_chunked"), about,
          note="2.52 without chunks, which lose here, and 3.32 with PSA+; the pack step alone gets "
               "3.5 times as fast, the others, half of the time then, do not", row="Figure 3"),
    Claim("report 6.1", "construction on the GPU against PSA on the CPU, 10^7",
          text("report", "speedup_construction", place="Section 6.1"),
          quotient(build_cpu(), build_gpu(10**7)), at_least, note=HOSTS, row="Table 2",
          also=REPEATED),
    *(Claim("report Table 2", f"construction, V100, N = 10^{exponent}",
            table("report_table_2", "tesla_v100", 10**exponent), build_gpu(10**exponent), at_most,
            "ms", NEWER) for exponent in (7, 8)),
    Claim("report 6.2", "sampling on the GPU against the CPU, 10^7 rows",
          text("report", "speedup_sampling", place="Section 6.2"),
          quotient(draw("cached_limited_xorwow", 10**7), draw_cpu(10**7)), at_least,
          note=HOSTS, row="Table 3", also=REPEATED),
    *(Claim("report Table 3", f"sampling, V100, N = 10^{exponent}",
            table("report_table_3", "tesla_v100", 10**exponent), draw(sampler, 10**exponent),
            at_least, "GSamples/s", NEWER)
      for exponent, sampler in ((6, "cached_limited_xorwow"), (7, "cached_limited_xorwow"),
                                (8, "baseline_xorwow"))),
    Claim("report Table 4", "energy of construction, V100",
          table("report_table_4", "tesla_v100", quantity="construction_energy"),
          joules("construct_gpu_chunked/powerlaw_1_shuffled/100000000"), at_most, "J/10^8",
          "theirs is what the card reports and 40 W for the host, ours what the card counts"),
    Claim("report Table 4", "energy of sampling, V100",
          table("report_table_4", "tesla_v100", quantity="sampling_energy"),
          joules("sample_gpu_baseline/powerlaw_1_shuffled/100000000/1000000000"), at_most,
          "J/GSample",
          "theirs is what the card reports and 40 W for the host, ours what the card counts; both "
          "by the baseline sampler, by sections 2.3 here"),
)
