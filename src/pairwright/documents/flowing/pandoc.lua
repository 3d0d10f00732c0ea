-- HTML has no list whose numbers are in brackets: its items become paragraphs that begin with their number.
function OrderedList(list)
  local attributes = list.listAttributes
  if attributes.delimiter ~= "TwoParens" or attributes.style ~= "Decimal" then return nil end
  local blocks = pandoc.Blocks{}
  for index, item in ipairs(list.content) do
    if item[1] and (item[1].t == "Plain" or item[1].t == "Para") then
      local number = pandoc.Str("(" .. attributes.start + index - 1 .. ")")
      item[1] = pandoc.Para(pandoc.Inlines{number, pandoc.Space()} .. item[1].content)
    end
    blocks:extend(item)
  end
  return blocks
end
