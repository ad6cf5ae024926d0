"""A net under refactorings: one file of hashes of what docaudit says, by its public surface alone."""
