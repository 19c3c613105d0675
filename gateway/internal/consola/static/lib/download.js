import { dayOf } from "./time.js";

// download saves a text as a file of this device.
export function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken what it needs by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

// dated names a file of today.
export function dated(name) {
  return `${name}-${dayOf(new Date().toISOString())}.csv`;
}
