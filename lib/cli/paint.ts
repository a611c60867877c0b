export type Paint = Record<'red' | 'green' | 'yellow' | 'cyan' | 'bold' | 'dim', (text: string) => string>;

/** Colours for a stream: none unless it is a terminal and NO_COLOR is unset. */
export function paint(stream: { isTTY?: boolean }): Paint {
  const coloured = stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  const style = (open: number, close: number) => (text: string) =>
    coloured ? `\u001B[${open}m${text}\u001B[${close}m` : text;
  return {
    red: style(31, 39),
    green: style(32, 39),
    yellow: style(33, 39),
    cyan: style(36, 39),
    bold: style(1, 22),
    dim: style(2, 22),
  };
}

/** A status in the colour that says whether somebody has to act. */
export function paintStatus(status: string, colour: Paint): string {
  if (status === 'completed') return colour.green(status);
  if (status === 'failed' || status === 'stalled') return colour.red(status);
  return status === 'paused' ? colour.yellow(status) : colour.cyan(status);
}
