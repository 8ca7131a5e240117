/** Sentences for people: counted words, quoted lists, near names, and text that is safe for a terminal; patterns of definitions. */
export {
  bareWord,
  didYouMean,
  editDistance,
  nearestName,
  agreeing,
  counted,
  quotedChain,
  quotedList,
  withArticle,
  type Word,
  wordsOf,
  wordsOfName,
} from '../words.ts';
export { LinearPattern } from '../linear-pattern.ts';
export { isTimeZone, localTime, timeOfWall, wallTime } from '../local-time.ts';
export { printPath } from '../json.ts';
export { partWithin, visible, widthOf } from '../print/pretty.ts';
