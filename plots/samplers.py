"""Names and looks of the papers' four samplers, the same in every figure that compares them."""

import style

SAMPLERS = {"baseline": "baseline", "cached": "cached sectioned",
            "cached_limited": "cached limited sectioned",
            "shared_memory": "shared memory sectioned"}
COLOURS = dict(zip(SAMPLERS, style.COLOURS))
