import { useState } from 'react';

interface TranscriptPlayerProps {
  readonly transcripts: Readonly<Record<string, string>>;
  readonly isPlaying: boolean;
  readonly onPlay: (name: string) => void;
}

/** Plays a transcript of the tests: the messages of the person and the answers of the model. */
export function TranscriptPlayer({ transcripts, isPlaying, onPlay }: TranscriptPlayerProps) {
  const names = Object.keys(transcripts);
  const [chosen, setChosen] = useState(names[0]!);
  const name = names.includes(chosen) ? chosen : names[0]!;
  return (
    <div className="wb-player">
      <select
        aria-label="Transcript"
        value={name}
        onChange={(event) => setChosen(event.target.value)}
      >
        {names.map((each) => (
          <option key={each} value={each}>
            {each.replaceAll('-', ' ')}
          </option>
        ))}
      </select>
      <button type="button" disabled={isPlaying} onClick={() => onPlay(name)}>
        {isPlaying ? 'Playing' : 'Play transcript'}
      </button>
    </div>
  );
}
