/** The editor itself. It is in a file of its own so that pages without an editor do not load it. */
import { json, jsonParseLinter } from '@codemirror/lang-json'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { linter } from '@codemirror/lint'
import { tags } from '@lezer/highlight'
import CodeMirror, { EditorView } from '@uiw/react-codemirror'
import { STYLE_NONCE } from '../../api/mode.ts'

export interface JsonEditorProps {
  label: string
  /** The text, which may be invalid JSON while the user types. */
  text: string
  onChange: (text: string) => void
  isReadOnly?: boolean
  /** A CSS length; default 12rem. The editor grows up to twice that. */
  minHeight?: string
}

const look = EditorView.theme({
  '&': {
    backgroundColor: 'var(--color-surface)',
    color: 'var(--color-ink)',
    fontSize: '0.8125rem',
  },
  '&.cm-focused': { outline: '2px solid var(--color-accent)', outlineOffset: '1px' },
  '.cm-content': { fontFamily: 'var(--font-mono)', caretColor: 'var(--color-ink)' },
  '.cm-gutters': {
    backgroundColor: 'var(--color-sunken)',
    color: 'var(--color-ink-faint)',
    border: 'none',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--color-hover)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground, ::selection': {
    backgroundColor: 'var(--color-accent-soft) !important',
  },
  '.cm-cursor': { borderLeftColor: 'var(--color-ink)' },
  '.cm-tooltip': { backgroundColor: 'var(--color-raised)', borderColor: 'var(--color-line)' },
})

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--color-ink-soft)' },
  { tag: tags.string, color: 'var(--color-good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--color-accent)' },
])

const extensions = [
  json(),
  linter(jsonParseLinter()),
  look,
  syntaxHighlighting(colours),
  EditorView.lineWrapping,
  // The editor creates styles at run time, and the content-security policy requires a nonce on them.
  EditorView.cspNonce.of(STYLE_NONCE),
]

export default function JsonEditorView(props: JsonEditorProps) {
  const { label, text, onChange, isReadOnly = false, minHeight = '12rem' } = props
  return (
    <CodeMirror
      value={text}
      onChange={onChange}
      readOnly={isReadOnly}
      minHeight={minHeight}
      maxHeight={`calc(2 * ${minHeight})`}
      theme="none"
      indentWithTab={false}
      basicSetup={{ autocompletion: false, searchKeymap: false }}
      extensions={[...extensions, EditorView.contentAttributes.of({ 'aria-label': label })]}
      className="overflow-hidden rounded-md border border-line"
    />
  )
}
