"""What the checks in Python have in common."""


def report(faults, begin=""):
    """Prints them and how many there are. Returns the exit status."""
    for fault in faults:
        print(f"FAILED  {fault}")
    print(f"{begin}{len(faults)} failed")
    return 1 if faults else 0
