package match

// LineEnd separates candidates that an interpreted program searches at once. No candidate contains it.
const LineEnd = "\n"
