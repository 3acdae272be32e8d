"""The adversarial program. It runs in the sandbox in an agent's place and tries to get out, in, or rich.

It imports nothing of this project: the container holds this folder and a plan, a JSON object (see
:mod:`m4review.trials.canary.plan`), and runs ``python3 -m intruder PLAN``. For every probe it prints one JSON line:
``probe``, ``tried`` (how many things) and ``found`` (what it got and should not have; of a probe of something that must
work, what did not).
"""
