import { phraseOf } from './phrase.ts';

const politely =
  /^(?:(?:please|ok|okay|yes|yeah|i think|i guess|let me|let's|can we|could we|can i|may i|i'd like to|i want to|i would like to|just|then) )*|(?: (?:please|thanks|thank you|now|for now|then))+$/gu;

const skipping =
  /^(?:skip|pass|leave (?:it|this|that)(?: one)? out|leave (?:it|this|that)|next question)(?: (?:question|it|this|that|this one|that one|this question|the question|this step|this part|over it|over this|on this|on that))?$/u;

/** Whether the text only asks to skip the question. */
export function wantsToSkip(text: string): boolean {
  return text.length <= 80 && skipping.test(phraseOf(text).replace(politely, ''));
}
