// Keys go to the workbench from the start, and whenever the window comes to the front.
const focusTerminal = () => document.querySelector(".xterm-helper-textarea")?.focus();
window.addEventListener("load", focusTerminal);
window.addEventListener("focus", focusTerminal);
