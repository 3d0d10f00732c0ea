"""The figures of a report: colours, drawing in all forms, and each figure."""
