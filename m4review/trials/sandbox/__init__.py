"""The sealed room in which an agent runs: images, the Docker sandbox, the local one, and what they leave behind."""
