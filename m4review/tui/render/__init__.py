"""State into text: pure functions, tested as strings. Meaning is in words and glyphs; colour only repeats it."""
