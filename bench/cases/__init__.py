"""The benchmark of residuals: generic programs, what an expert made of them by hand, and libraries for the same work.

    $ python -m bench.cases                     our own programs, from `examples/`
    $ python -m bench.cases --shared FOLDER     the thirteen public cases of a folder with a `cases.toml`

`case` says what a case is, `own` and `given` make them, `experts` has the code written by hand, `peers` the libraries,
`measuring` the clock.  Invariant: nothing is timed before all sides gave equal results on all inputs.
"""
