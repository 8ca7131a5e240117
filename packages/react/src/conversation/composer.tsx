import { useState } from 'react';

interface ComposerProps {
  readonly isEnded: boolean;
  readonly onSay: (text: string) => void;
}

/** A line to write in: Enter sends it, Shift+Enter begins another one. What comes during a turn waits its turn. */
export function Composer({ isEnded, onSay }: ComposerProps) {
  const [text, setText] = useState('');
  const send = () => {
    if (text.trim() === '' || isEnded) return;
    onSay(text);
    setText('');
  };
  return (
    <form
      className="dg-composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        aria-label="Message"
        rows={1}
        value={text}
        disabled={isEnded}
        placeholder={isEnded ? 'The conversation has ended.' : 'Write a message'}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <button type="submit" className="dg-primary" disabled={isEnded || text.trim() === ''}>
        Send
      </button>
    </form>
  );
}
