/** Conversations of equal turns: a client sends a text, and the echo graph answers with it. */

export interface Talk {
  /** A thread for each conversation; they take their turns together. */
  threads: string[]
  /** Numbers of the first and the last turn. */
  from: number
  to: number
}

export async function talk(
  { threads, from, to }: Talk,
  say: (thread_id: string, text: string) => Promise<unknown>,
): Promise<void> {
  for (let turn = from; turn <= to; turn++) {
    await Promise.all(threads.map((thread, i) => say(thread, textOf(turn * threads.length + i))))
  }
}

const LENGTH = 200
const WORDS = `
  the of and to in is that for it was on with as be at by this had not are but from or have an
  they which one you were her all she there would their we him been has when who will more no if
  out so said what up its about into than them can only other new some could time these two may
  then do first any my now such like our over man me even most made after also did many before
  must through back years where much your way well down should because each just those people how
  too little state good very make world still own see men work long get here between both life
  being under never day same another know while last might us great old year off come since
  against go came right used take three
`
  .trim()
  .split(/\s+/)

/** Random words, the same for the same number: a database compresses them like real text. */
function textOf(number: number): string {
  let state = number * 2_654_435_761 + 1
  let text = ''
  while (text.length < LENGTH) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    text += `${WORDS[(state >>> 8) % WORDS.length]} `
  }
  return text.slice(0, LENGTH)
}
