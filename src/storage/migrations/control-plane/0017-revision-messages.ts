/** What a revision is about: the message it was made with, and the commit that it is built from. */
import type { Migration } from '../migrate.ts'

export const revisionMessages: Migration = {
  version: 17,
  name: 'revision-messages',
  sql: ['message', 'commit_author', 'commit_subject']
    .map((column) => `ALTER TABLE revisions ADD COLUMN ${column} TEXT;`)
    .join('\n'),
}
