import { phraseOf } from './phrase.ts';
import { excerpt } from './words.ts';

/** The sentences of a text, each with its white space, so that the remaining ones can be joined again. */
function sentencesOf(text: string): string[] {
  return excerpt(text).split(/(?<=[.!?])(?=\s)|(?<=\n)/u);
}

/** Questions about the question itself: never an answer. */
const aboutAsking =
  /^(?:(?:but|and|ok|okay) )?(?:why (?:do|would|are|should|did) (?:you|i|we)\b|why$|what do you mean|what does that mean|what for$|what$|pardon$|sorry$|huh$|come again|(?:can|could) you (?:repeat|explain|rephrase)|what was the question|i (?:don't|do not) understand(?: the question)?$)/u;

/** A question to the agent, not one that offers an answer ("billing?") or asks for help. */
const interrogative =
  /^(?:(?:but|and|so|ok|okay|well) )?(?:why(?! not$)|what|what's|who|who's|whom|whose|how|when|where|which|do you|are you|did you|will you|is this|is that|is it|does this|does it|must i|do i|should i|have i|and you$)\b/u;

/** Whether the text only asks back. If questions are welcome as answers, only questions about the question count. */
export function isQuestionBack(text: string, questionsWelcome = false): boolean {
  return text.trim() !== '' && answeringPart(text, questionsWelcome).trim() === '';
}

/** Whether the text asks about the question: "why?", "what do you mean?" */
export function asksAboutAsking(text: string): boolean {
  return aboutAsking.test(phraseOf(text.slice(0, 200)));
}

/** Removes the sentences that ask something back. */
export function answeringPart(text: string, questionsWelcome = false): string {
  const sentences = sentencesOf(text);
  const answering = sentences.filter((sentence) => !asks(sentence, questionsWelcome));
  if (answering.length === sentences.length) return text;
  return answering.join('') + text.slice(excerpt(text).length);
}

function asks(sentence: string, questionsWelcome: boolean): boolean {
  const phrase = phraseOf(sentence.slice(0, 200));
  if (phrase === '') return sentence.trimEnd().endsWith('?');
  if (aboutAsking.test(phrase)) return true;
  return !questionsWelcome && sentence.trimEnd().endsWith('?') && interrogative.test(phrase);
}
