/** A trigger that refuses a change. The databases have no common syntax for it. */
import type { Dialect } from '../db/db.ts'

/**
 * `before` is the refused change, such as `UPDATE OF status ON runs`. `when` is a condition on NEW and
 * OLD; absent: always. The change fails with `message`, which must contain no quote.
 */
export function refusingTrigger(trigger: {
  name: string
  before: string
  when?: string
  message: string
}): Record<Dialect, string> {
  const { name, before, when, message } = trigger
  return {
    sqlite: `
CREATE TRIGGER ${name} BEFORE ${before}${when ? `\nWHEN ${when}` : ''}
BEGIN
  SELECT RAISE(ABORT, '${message}');
END;
`,
    postgres: `
CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '${message}' USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER ${name} BEFORE ${before} FOR EACH ROW${when ? `\nWHEN (${when})` : ''}
EXECUTE FUNCTION ${name}();
`,
  }
}
