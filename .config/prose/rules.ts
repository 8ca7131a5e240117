/** A construction that makes readers stop, and what to write instead. */
export interface ProseRule {
  readonly pattern: RegExp;
  readonly hint: string;
  /** Sentences that the rule must report. The linter checks these examples before it reads a file. */
  readonly reports: readonly string[];
  /** Sentences that look alike and are fine. */
  readonly allows: readonly string[];
}

/** Constructions that were found many times in this repository. */
export const proseRules: readonly ProseRule[] = [
  {
    pattern:
      /\b(?:has|have|had) not(?: (?:the|a|an|its|their|any|such|this|that|these|those|one)\b|[.;:)]|$)/i,
    hint: 'Write "does not have".',
    reports: [
      'A name that the behaviour has not.',
      'This host has not their channel.',
      'We have not the key.',
    ],
    allows: ['It has not been stored.', 'This host does not have their channel.'],
  },
  {
    pattern: /\bfor ever\b/i,
    hint: 'Write "forever" or "indefinitely".',
    reports: ['It waits for ever.'],
    allows: ['It waits forever.', 'for every state'],
  },
  {
    pattern: /\b(?:whoever|whomever|whosoever|whomsoever)\b/i,
    hint: 'Name the subject: "the caller", "anyone who".',
    reports: ['Whoever calls it pays.'],
    allows: ['Anyone who calls it pays.'],
  },
  {
    pattern: /\bwhatever (?:is|was|are|were)\b/i,
    hint: 'Name the thing.',
    reports: ['Whatever is stored counts.'],
    allows: ['Every stored record counts.'],
  },
  {
    pattern:
      /(?<!\bthere )\bis no (?!longer\b|more\b|less\b|fewer\b|later\b|earlier\b|older\b|newer\b|larger\b|smaller\b|better\b|worse\b|slower\b|different\b|matter\b)[a-z]+/i,
    hint: 'Write "is not a".',
    reports: ['A clock is no person.'],
    allows: ['There is no state "a".', 'It is no longer stored.', 'It is not a person.'],
  },
  {
    pattern: /\b(?:nobody|no one|nothing)\b [^.;:!?|]+ \b(?:nobody|no one|nothing)\b/i,
    hint: 'Say it once, without the second negation.',
    reports: ['Nobody relies on what nothing acts on.'],
    allows: ['Nobody reads the field. Nothing is stored.', 'none nothing nobody'],
  },
  {
    pattern: /\bwhat\b[^.;:!?]{1,80}\bis what\b/i,
    hint: 'Name both things.',
    reports: ['What is stored is what counts.'],
    allows: ['That is what counts.'],
  },
  {
    pattern:
      /(?<![\w'-])(?:(?<=^|[.!?] )A|a) ["“]?(?!one\b|once\b|eu|uni(?![mn])|us[aeu]|uti|an\b|[a-z]\b)[aeiou][a-z]+/,
    hint: 'Write "an" before a vowel, or a sentence that needs no article.',
    reports: ['It has a "operator".', 'a event', 'a unknown state', 'A action fails.'],
    allows: [
      'an event',
      'a user',
      'a unit',
      'a one-line text',
      'a European date',
      'plan A is it',
      'a unique id',
      'a, b or c',
    ],
  },
  {
    pattern: /\bof (?:a|an|the) \w+'s\b(?! \w|, the)/i,
    hint: 'Write "from a model" or "of a model".',
    reports: ["a text of a model's", "a message of the person's."],
    allows: ["a text of the model's own words", 'a text from a model'],
  },
  {
    pattern: /(?:^|[.!] )(?:Whose|Who|Whom)\b[^.?!]*(?:[.!]|$)/,
    hint: 'Start with the thing: "An instance that …".',
    reports: ['Who is paused keeps the place.', 'It ends. Whose time is up is deleted.'],
    allows: ['Who owns the store?', 'The owner decides who may write.'],
  },
  {
    pattern: /\bone whose\b/i,
    hint: 'Repeat the noun: "An expired save point".',
    reports: ['One whose time is up is given up.'],
    allows: ['An expired save point is deleted.'],
  },
  {
    pattern: /(?:^|[.!?] )Beside\b/,
    hint: 'Write "Besides", "In addition to" or "Next to".',
    reports: ['Beside that, it counts.'],
    allows: ['Besides, it counts.', 'The file lies beside the plan.'],
  },
  {
    pattern: /\bmeanwhile(?:[.;!]|$)/i,
    hint: 'Say during what: "while the call was running".',
    reports: ['The state has changed meanwhile.'],
    allows: ['Meanwhile, the host waits.'],
  },
  {
    pattern: /\b(?:is|are|was|were|be|been|being) (?:told|heard)\b/i,
    hint: 'Use the standard word: "receives", "is emitted", "is reported", "is notified".',
    reports: ['The parent is told.', 'It has been heard.'],
    allows: ['The parent is notified.', 'The test tells the host.'],
  },
  {
    pattern: /\bhand(?:s|ed|ing)? (?:\w+ ){0,3}back\b/i,
    hint: 'Write "return".',
    reports: ['It hands back its input.', 'Each task hands its input back.'],
    allows: ['It returns its input.', 'The handler reads back the file.'],
  },
  {
    pattern: /\b(?:stand|stands|stood|standing) (?:in|there|here)\b/i,
    hint: 'Write "is", or name what holds it: "the record contains".',
    reports: ['What stands in the file counts.', 'A path stands there.'],
    allows: ['a stand-in for a model', 'It stands for the state.'],
  },
  {
    pattern: /\bcomes? of (?:it|that|this|them)\b/i,
    hint: 'Name the result.',
    reports: ['What comes of it is stored.'],
    allows: ['The result comes from the port.'],
  },
  {
    pattern:
      /\b(?:thereof|therein|wherein|whereof|hitherto|lest|naught|nought|whence|thence|thereby|theretofore|aught)\b/i,
    hint: 'Use a modern word.',
    reports: ['the text and the parts thereof', 'lest it be lost'],
    allows: ['the text and its parts', 'the latest'],
  },
];
