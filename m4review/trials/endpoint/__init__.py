"""A scripted model: an HTTP server that speaks four model protocols and plays fixed tool calls.

It runs in a container of its own and imports nothing of this project. With it the real agent programs are tried from
end to end without a model: it proves the plumbing and says nothing about any model. Every answer depends on the request
alone, so that one server serves any number of agents at the same time.
"""
