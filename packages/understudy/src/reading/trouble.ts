import { readDecline } from './decline.ts';
import { excerpt } from './words.ts';

const subject =
  /^(?:(?:because|since|as|so|that|but|and|well) )*(?:my|our|the|it|there|something|nothing|i|we|they|you|someone)(?:['’]\w{1,3})?\s/iu;

const cue =
  /n['’]t\b|\b(?:cannot|not|no|never|longer|dark|black|blank|broken|broke|slow|crash(?:es|ed)?|fail(?:s|ed)?|wrong|stuck|lost|error|late|missing|stop(?:s|ped)|trouble|problem|issue|damaged|dead|freez(?:es|ing)|frozen|twice|too|stays?|keeps?|leak(?:s|ing)?|noise|smell|hurt|hurts|pain|stolen|locked|blocked|empty|bad|unable|forgot|declined|charged|overcharged|delayed|down|off)\b/iu;

const introducing =
  /^(?:i['’]?m|i am|my name|this is|it['’]s me|call me|my (?:account|order|customer|phone|email|number))\b/iu;

/** The clauses of a text that say what is wrong: "my screen stays dark". */
export function readTrouble(text: string): string | undefined {
  const clauses = excerpt(text)
    .slice(0, 1_000)
    .split(/[,;!?\n]|\.(?=\s|$)|\s(?:and|but|because)\s/iu)
    .map((clause) => clause.trim().replace(/^(?:and|but|because)\s+/iu, ''));
  const telling = clauses.filter((clause) => {
    const words = clause.split(/\s+/u);
    return (
      words.length >= 3 &&
      subject.test(clause) &&
      cue.test(clause) &&
      !introducing.test(clause) &&
      readDecline(clause) === undefined
    );
  });
  return telling.length === 0 ? undefined : telling.join(', ');
}
