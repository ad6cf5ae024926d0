"""How many hits to take, and from which score on: what recall gains and precision loses, before any answer is read.

Works on the frozen results of a gate; required documents are what is relevant. Shares come from ir_measures (extra
`evaluate`); selection and stage log need nothing.
"""
