import { phrasesOf } from './phrase.ts';

const someone =
  '(?:(?:an? |the |your |some )?(?:(?:real|actual|live) )?(?:human(?: being)?|person|agent|operator|representative|rep|manager|supervisor|colleague|employee|advisor|adviser|somebody|someone)(?: (?:real|else|human|from (?:your |the )?(?:team|staff|support)))?)';

const wishes = [
  new RegExp(
    `\\b(?:speak|talk|chat|connect(?: me)?|transfer(?: me)?|put me through|pass me(?: on)?|get me|give me|escalate(?: this)?|hand me over)(?: (?:to|with))? ${someone}(?: please| now)*$`,
    'u',
  ),
  new RegExp(`^(?:i )?(?:want|need|would like|'d like|prefer) ${someone}(?: please| now)*$`, 'u'),
  new RegExp(`^i'd (?:like|prefer) ${someone}(?: please| now)*$`, 'u'),
  new RegExp(`^(?:please )?${someone}(?: please| now)*$`, 'u'),
  /^(?:customer|live) (?:service|support|agent|person)(?: please)?$/u,
];

/** Whether the text asks to talk to a person instead of a program. */
export function wantsHuman(text: string): boolean {
  if (text.length > 200) return false;
  return phrasesOf(text).some((phrase) => wishes.some((wish) => wish.test(phrase)));
}
