/** Runs before each test file with Python graphs: they find their Python as a person's do who has one active. */
import { inject } from 'vitest'
import { NO_PYTHON } from '../hosts/python.ts'

if (!NO_PYTHON) {
  process.env.VIRTUAL_ENV = inject('pythonEnvironment')
  process.env.HELD_FOLDER = inject('heldFolder')
}
