import { phraseOf } from './phrase.ts';

/** The longest refusal. A longer text says something. */
const longestDecline = 80;

/** "none", "n/a": may also be the answer, if the question is whether there is one. */
const nothings = new Set(
  `no|nope|nah|none|nothing|nil|n/a|na|not applicable|none at all|not any|nothing at all|nothing really|not really|
  no one|nobody|nothing comes to mind|nothing else|none of them|none of these|neither|no nothing|no none|nope nothing`
    .split('|')
    .map((phrase) => phrase.trim()),
);

const havingNone =
  /^(?:no )?i (?:do not|don't|dont) have (?:one|any|it|that|an? .{1,30}|any .{1,30})$/u;

const wordsAround =
  /^(?:(?:please|i think|i guess|i'm afraid|let me|let's|can we|could we|can i|may i|i'd like to|i want to) )*|(?: (?:please|thanks|thank you|now|for now|sorry|then))+$/gu;

/** Patterns of whole refusals. Each is anchored at both ends and has at most one bounded tail. */
const refusals = [
  /^(?:skip|pass|next)(?: (?:question|it|this|that|this one|that one|this question|the question|this step|over it|on this|on that))?$/u,
  /^(?:move|go) on$/u,
  /^(?:no|nope|nah|not),? ?(?:thanks|thank you|now|today)$/u,
  /^(?:no )?i(?:'d| would) (?:rather|prefer) not(?: .{0,40})?$/u,
  /^(?:no )?i(?:'d)? prefer not(?: to)?(?: .{0,40})?$/u,
  /^(?:rather|prefer|better) not(?: to)?(?: (?:say|tell|answer|share))?$/u,
  /^(?:no )?(?:i )?(?:do not|don't|dont) (?:want|wish|like|care) to(?: (?:say|tell|answer|share|give|talk).{0,40})?$/u,
  /^(?:no )?(?:i )?(?:do not|don't|dont) (?:know|remember|recall)(?: .{0,12})?$/u,
  /^(?:no )?(?:i )?(?:can't|cannot|can not) (?:remember|recall|say|tell|answer)(?: .{0,12})?$/u,
  /^(?:i forgot|i have no idea|no idea|no clue|not sure|i'm not sure|i am not sure|dunno|idk|no comment|who knows)$/u,
  /^(?:i'm not telling(?: you)?|that's private|it's private|none of your business|that's none of your business)$/u,
  /^(?:no |it )?(?:doesn't|does not) matter$/u,
];

/** The way of declining: a word for nothing, or a refusal to answer. */
export type Decline = 'nothing' | 'refusal';

/** Reads how the person declines, if the whole text does. */
export function readDecline(text: string): Decline | undefined {
  if (text.length > longestDecline) return undefined;
  const whole = phraseOf(text);
  const bare = whole.replace(wordsAround, '');
  // "No thanks" refuses, though "no" alone may be the answer.
  if (refuses(whole)) return 'refusal';
  if (nothings.has(bare) || havingNone.test(bare)) return 'nothing';
  return refuses(bare) ? 'refusal' : undefined;
}

function refuses(phrase: string): boolean {
  return refusals.some((refusal) => refusal.test(phrase));
}
