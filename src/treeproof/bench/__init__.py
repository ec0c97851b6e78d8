"""Side by side with other solvers: the same question, the same limits, one machine.

=============== ==================================================================
module          what it holds
=============== ==================================================================
problem         a table with labels or amounts, and problems made by code
tables          any table as such a problem: one-hot, numbers cut at quantiles
suites          the kinds of questions: classes, numbers, amounts, streams
question        what a solver is asked and what it answers
solvers         one adapter per solver: the same question in each one's own words
learners        the adapter of learners of streams
engine          reaches below our estimator, for engine options and traces
worker          one fit, alone in a process
usage           CPU time and memory of a process, on any system
launch          starts the worker under any interpreter
isolated        watches that process, under limits on time and memory
contest         all solvers on all problems; the table
profile         the performance profile: who is how often how close to the fastest
=============== ==================================================================

`treeproof bench` runs it. Problem, question, solvers, learners, engine, worker,
usage and launch import nothing of treeproof at their heads, so that they run under an
interpreter that has other solvers installed but not this package.
"""
