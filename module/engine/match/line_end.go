package match

// LineEnd separates texts that an interpreted program handles at once. It occurs in none.
const LineEnd = "\n"
