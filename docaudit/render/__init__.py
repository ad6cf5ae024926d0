"""Justifications, coverage and samples as text, HTML, Markdown and tables; what is saved is shown without the PDF."""
