"""When should a question-answering tool hold back, and how well does it do it?

Records and rules only: metrics come from scikit-learn, scipy and MAPIE. Nothing here searches a document; the gate
looks at scores that a retriever gave, and at labels that people gave.
"""
