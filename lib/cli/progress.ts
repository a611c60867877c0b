const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;

/** A line on stderr that shows what is waited for and how long. Silent unless stderr is a terminal. */
export interface Progress {
  say(what: string): void;
  /** Takes the line away, so that something else can be printed. */
  clear(): void;
  stop(): void;
}

export function startProgress(what: string): Progress {
  const { stderr } = process;
  if (!stderr.isTTY) return { say() {}, clear() {}, stop() {} };
  let frame = 0;
  let said = what;
  let since = Date.now();
  const clear = () => void stderr.write('\r\u001B[2K');
  const draw = () => {
    frame = (frame + 1) % FRAMES.length;
    const seconds = Math.floor((Date.now() - since) / 1_000);
    stderr.write(`\r\u001B[2K${FRAMES[frame]} ${said}, ${seconds} s`);
  };
  const timer = setInterval(draw, FRAME_MS);
  return {
    say(next) {
      if (next === said) return;
      said = next;
      since = Date.now();
    },
    clear,
    stop() {
      clearInterval(timer);
      clear();
    },
  };
}
