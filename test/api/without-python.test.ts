/** Runs in place of the tests with Python graphs on a machine that has no Python. */
import { test } from 'vitest'
import { NO_PYTHON } from '../support/hosts/python.ts'

test.skipIf(NO_PYTHON)(
  `the agent server’s API with Python graphs (skipped: ${NO_PYTHON})`,
  () => {},
)
