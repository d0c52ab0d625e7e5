/** Whether the user is writing in a field, so that the focus must stay. */
export function isWriting(): boolean {
  const focused = document.activeElement
  if (focused instanceof HTMLInputElement || focused instanceof HTMLTextAreaElement)
    return focused.value !== ''
  return focused instanceof HTMLElement && focused.isContentEditable
}
