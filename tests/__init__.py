"""Tests of docaudit."""
