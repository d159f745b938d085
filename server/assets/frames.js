// Where the frames of the node map lie: one for all nodes, or one for each partition, with a title. All cells have the same size, the largest at which all
// frames fit. Lengths are pixels of the screen.

/** Above the cells of a frame stands its title; around them is some room. In pixels of the page. */
const TITLE = 18;
const ROOM = 4;
const BETWEEN = 6;
/** Each try has cells smaller by this. */
const SMALLER = 0.96;
/** Cells are not made smaller than this to make room for titles, nor than this part of what they are without any: the map gets higher. */
const LEAST_SIDE = 4;
const LEAST_PART = 0.8;

/** Of whole pixels, so that all are alike and gaps are sharp. */
const whole = (side) => (side >= 2 ? Math.floor(side) : side);

/** One frame without a title, as large as the map: `count` cells. */
export function single(count, width, height) {
  const columns = Math.max(1, Math.ceil(Math.sqrt((count * width) / Math.max(1, height))));
  const rows = Math.max(1, Math.ceil(count / columns));
  const side = whole(Math.min(width / columns, height / rows));
  return { side, height, frames: [{ from: 0, count, columns, rows, cellX: 0, cellY: 0 }] };
}

/**
 * A frame for each group of `count` cells whose title is `title` wide, one after the other in lines. `scale`: how many pixels of the screen one of the
 * page has. The height is more than was asked for where nothing fits into that.
 */
export function framed(groups, width, height, scale) {
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  const alone = Math.sqrt((width * height) / Math.max(1, count));
  const least = Math.max(1, Math.min(LEAST_SIDE, LEAST_PART * alone));
  for (let side = alone; side > least; side *= SMALLER) {
    const laid = lines(groups, width, whole(side), scale);
    if (laid.height <= height) return { ...laid, height };
  }
  const laid = lines(groups, width, whole(least), scale);
  return { ...laid, height: Math.max(height, laid.height) };
}

function lines(groups, width, side, scale) {
  const [title, room, between] = [TITLE, ROOM, BETWEEN].map((length) => Math.round(length * scale));
  const most = Math.max(1, Math.floor((width - 2 * room) / side));
  let [x, y, line, from] = [0, 0, 0, 0];
  const frames = groups.map(({ count, title: wide }) => {
    // About a square, or as wide as its title; of those that need several lines of the map's width all are so wide.
    const fair = Math.max(Math.ceil(Math.sqrt(count)), Math.ceil(wide / side));
    const columns = Math.min(most, count >= most * 2 ? most : fair);
    const rows = Math.max(1, Math.ceil(count / columns));
    const frame = {
      from, count, columns, rows,
      width: Math.min(width, Math.max(columns * side, Math.ceil(wide)) + 2 * room), height: title + rows * side + room,
    };
    if (x > 0 && x + frame.width > width) [x, y, line] = [0, y + line + between, 0];
    Object.assign(frame, { x, y, cellX: x + room, cellY: y + title });
    x += frame.width + between;
    line = Math.max(line, frame.height);
    from += count;
    return frame;
  });
  return { side, frames, height: y + line };
}
