"""What an expert made of the programs in `examples/`, by hand: the residuals to aim at.

    experts.numeric.power13(2.0)    gives 8192.0, as kernels.power(2.0, 13) does

Invariant: each does what the generic program does for the inputs of its case, errors and their messages included.
"""
