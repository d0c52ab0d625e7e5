// Preloaded into a process: its clock reaches a full minute ten seconds after its start.
const now = Date.now
const shiftMs = 50_000 - (now() % 60_000)
Date.now = () => now() + shiftMs
