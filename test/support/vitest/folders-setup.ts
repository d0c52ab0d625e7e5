/** Runs before each test file: what its tests have left in temporary folders is removed after them. */
import { afterAll } from 'vitest'
import { removeTemporaryFolders } from '../temporary-folder.ts'

afterAll(removeTemporaryFolders)
