"""Item x model -> Response: how questions with options are put to models, and how their answers are read."""
