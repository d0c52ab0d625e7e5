/** Runs before each test file that may deploy: its builds find the `npm` of `shared-installs-global.ts`. */
import { delimiter } from 'node:path'
import { inject } from 'vitest'

process.env.PATH = [inject('installsFolder'), process.env.PATH].join(delimiter)
