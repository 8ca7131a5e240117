/** Sentences for people: counted words, quoted lists, near names, and text that is safe for a terminal; patterns of definitions. */
export { bareWord } from '../bare-word.ts';
export { didYouMean, nearestName } from '../did-you-mean.ts';
export { agreeing, counted, quotedChain, quotedList, withArticle } from '../grammar.ts';
export { LinearPattern } from '../linear-pattern.ts';
export { isTimeZone, localTime, timeOfWall, wallTime } from '../local-time.ts';
export { printPath } from '../path.ts';
export { visible } from '../print/visible.ts';
export { type Word, wordsOf, wordsOfName } from '../words.ts';
