/** Asks for the headers that a project's own `auth` needs. */
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { giveHeaders, givenText, readHeaders } from '../../api/given-headers.ts'
import { BASE_PATH } from '../../api/mode.ts'
import { Button } from '../../design/button.tsx'
import { ErrorNote } from '../../design/error-note.tsx'
import { TextAreaField } from '../../design/field.tsx'

/** `refusal`: the project's error. `to`: the page the user wanted, within the app. */
export function HeadersForm({ refusal, to }: { refusal: Error; to: string | undefined }) {
  const [text, setText] = useState(givenText)
  const isReadable = readHeaders(text) !== undefined
  return (
    <Form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault()
        giveHeaders(text)
        location.assign(BASE_PATH + (to ?? '/').slice(1))
      }}
    >
      <ErrorNote title="The auth of this project does not let you in." error={refusal} />
      <p className="text-ink-soft">
        Give the headers that it knows you by. They go along with each request of the Studio, and
        are kept in this tab until you close it or sign out.
      </p>
      <TextAreaField
        label="Headers, one a line"
        rows={3}
        isMono
        autoFocus
        placeholder="authorization: Bearer …"
        value={text}
        onChange={setText}
        {...(!isReadable && { error: 'Write each as name: value.' })}
      />
      <Button type="submit" kind="primary" isDisabled={!isReadable || text.trim() === ''} isWide>
        Go on
      </Button>
      <p className="border-t border-line pt-4 text-sm text-ink-soft">
        <code>x-auth-scheme: langsmith</code> makes you a Studio user, where the project allows
        these: by <code>dev</code>, or with one of <code>RUNYARD_API_KEYS</code>.
      </p>
    </Form>
  )
}
