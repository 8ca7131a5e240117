import { useState } from 'react';

interface ComposerProps {
  readonly isEnded: boolean;
  readonly onSay: (text: string) => void;
}

/** An input field: Enter sends, Shift+Enter starts a new line. Messages sent during a turn wait. */
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
